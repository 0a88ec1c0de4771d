"""Where a run lies: a folder, or any other place that fsspec reaches. Files are written whole."""

import errno
import os
import shutil
import stat
import tempfile
from pathlib import Path, PurePosixPath
from typing import Any, Protocol

from filelock import FileLock, Timeout

from simcore.given import InputError

DRAFT = ".tmp"
"""How the name of a file ends that is being written."""
LOCK = ".lock"
"""Held by the process that writes; the system lets go of it when the process ends, killed or not.
It stays behind, empty, since to remove it would let two processes in at once."""


class StoreError(InputError):
    """A folder that cannot be used as asked; one line says what was given and what is allowed."""


class DamagedError(StoreError):
    """What lies there is ours, but not as it was written."""


class Place(Protocol):
    """Files by name, with / between the parts of a name. All methods may raise OSError."""

    def make(self) -> bool:
        """Make the place if there is none and return whether that was so; check that it is one."""

    def lock(self) -> None:
        """Keep others from writing; StoreError if another process does."""

    def unlock(self) -> None:
        """Let others write."""

    def names(self) -> list[str]:
        """Return the names of all files, sorted, and of empty folders; not the lock's."""

    def read(self, name: str) -> bytes:
        """Return what a file holds."""

    def write(self, name: str, data: bytes) -> None:
        """Write a file, or replace it in one step; an error leaves it as it was."""

    def remove(self, name: str) -> None:
        """Remove a file or an empty folder."""


def place_of(where: Path | str) -> Place:
    """Return the place that a path or a URL tells; StoreError if fsspec does not know it.

    The place of a file:// URL is the folder, with its lock, that several machines may share.
    """
    if not is_url(where):
        return Folder(Path(where))
    files, root = _reached(str(where))
    url = str(where).rstrip("/")
    return Folder(Path(root), url) if "file" in files.protocol else Remote(url, files, root)


def is_url(where: Path | str) -> bool:
    """Return whether a text is the URL of a place; a Path is not."""
    return isinstance(where, str) and "://" in where


class Folder:
    """A folder; `url` is what it is called where it is not called by its path."""

    def __init__(self, path: Path, url: str = "") -> None:
        self.path = path
        self._name = url or str(path)
        self._lock = FileLock(path / LOCK, timeout=0)

    def __str__(self) -> str:
        return self._name

    def make(self) -> bool:
        """Make the folder with its parents, and take back those made if it cannot be written."""
        if self.path.exists() and not self.path.is_dir():
            raise StoreError(f"out: {self} is no folder; allowed: a folder, new or empty")
        missing = [folder for folder in (self.path, *self.path.parents) if not folder.exists()]
        made: list[Path] = []
        try:
            for folder in reversed(missing):
                folder.mkdir(exist_ok=True)
                made.append(folder)
            if missing:
                self._check_writable()
        except OSError:
            for folder in reversed(made):
                folder.rmdir()
            raise
        return bool(missing)

    def lock(self) -> None:
        """Take the lock; StoreError if another process has it."""
        self._check_writable()
        try:
            self._lock.acquire()
        except Timeout:
            told = f"out: another process is writing to {self}"
            raise StoreError(f"{told}; allowed: to wait for it, or another folder") from None

    def unlock(self) -> None:
        """Give the lock back."""
        self._lock.release()

    def names(self) -> list[str]:
        """Return the names of all files and empty folders."""
        found = []
        # A folder of tables may be a link to another disk; no link is followed further.
        linked = [child for child in self.path.iterdir() if child.is_symlink() and child.is_dir()]
        below = [file for folder in linked for file in folder.iterdir()]
        for child in (*self.path.rglob("*"), *below):
            followed = child in linked or not child.is_symlink()
            inside = followed and child.is_dir() and any(child.iterdir())
            if not inside and child != self.path / LOCK:
                found.append(child.relative_to(self.path).as_posix())
        return sorted(found)

    def read(self, name: str) -> bytes:
        """Return what a file holds; one that is no file may have no end."""
        file = self._file(name)
        if not stat.S_ISREG(file.stat().st_mode):
            raise OSError(errno.EINVAL, "it is no regular file", str(file))
        return file.read_bytes()

    def write(self, name: str, data: bytes) -> None:
        """Write aside, onto the disk, then rename."""
        file = self._file(name)
        if file.is_dir():
            raise StoreError(f"out: {self}/{name} is a folder; allowed: a file, or nothing, there")
        file.parent.mkdir(exist_ok=True)
        draft = file.with_name(file.name + DRAFT)
        try:
            with draft.open("wb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            os.replace(draft, file)
        finally:
            draft.unlink(missing_ok=True)

    def remove(self, name: str) -> None:
        """Remove a file or an empty folder, and the folders that are then empty."""
        path = self._file(name)
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
        for folder in path.parents:
            if folder == self.path or folder.is_symlink() or any(folder.iterdir()):
                return
            folder.rmdir()

    def _file(self, name: str) -> Path:
        return self.path.joinpath(*PurePosixPath(name).parts)

    def _check_writable(self) -> None:
        with tempfile.TemporaryFile(dir=self.path):
            pass


def _reached(url: str) -> tuple[Any, str]:
    """Return the file system of a URL and the path there; StoreError if fsspec does not know it."""
    try:
        import fsspec
    except ImportError:
        told = f"out: {url} needs fsspec"
        raise StoreError(f"{told}; allowed: pip install 'sequence-lab[cluster]'") from None
    try:
        protocol, _, rest = url.partition("://")
        if not protocol or (protocol in ("file", "local") and not rest.startswith("/")):
            raise ValueError("no path from the root, which file:///PATH has, with three strokes")
        files, root = fsspec.core.url_to_fs(url.rstrip("/"))
    except (ValueError, ImportError, OSError) as error:
        raise StoreError(f"out: {url}: {error}; allowed: a URL that fsspec knows") from None
    return files, str(root)


class Remote:
    """A place that fsspec reaches by a URL.

    Object stores replace a file in one step. Elsewhere a file may be half written when a process
    dies: a part is then not listed yet. There is no lock: let one process write at a time.
    """

    def __init__(self, url: str, files: Any, root: str) -> None:
        self._url, self._files, self._root = url, files, root

    def __str__(self) -> str:
        return self._url

    def make(self) -> bool:
        """Make the place if there is none."""
        if self._files.exists(self._root):
            return False
        self._files.makedirs(self._root, exist_ok=True)
        return True

    def lock(self) -> None:
        """Do nothing."""

    def unlock(self) -> None:
        """Do nothing."""

    def names(self) -> list[str]:
        """Return the names of all files."""
        root = len(self._root.rstrip("/")) + 1
        return sorted(name[root:] for name in self._files.find(self._root))

    def read(self, name: str) -> bytes:
        """Return what a file holds, as it is now."""
        self._files.invalidate_cache()
        return bytes(self._files.cat_file(f"{self._root}/{name}"))

    def write(self, name: str, data: bytes) -> None:
        """Write a file; the folder is made where there are folders."""
        parent, _, _ = f"{self._root}/{name}".rpartition("/")
        self._files.makedirs(parent, exist_ok=True)
        self._files.pipe_file(f"{self._root}/{name}", data)

    def remove(self, name: str) -> None:
        """Remove a file."""
        self._files.rm_file(f"{self._root}/{name}")
