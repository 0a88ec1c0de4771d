"""Check a folder of ours, be it of a run or of an experiment."""

from experiments.record import EXPERIMENT, arm_name, read_experiment
from simcore.check import Finding, check, files_of_run, unfinished
from simcore.ledger import read_json
from simcore.manifest import FORMAT, MANIFEST, read_manifest
from simcore.merge import part_numbers
from simcore.place import DamagedError, place_of


def check_folder(folder: str) -> tuple[int, list[Finding]]:
    """Return how many files were looked at, and what is wrong; StoreError if it is no run."""
    place = place_of(folder)
    try:
        found = read_json(place, MANIFEST, FORMAT, EXPERIMENT.format)
        if found["format"] == FORMAT:
            manifest = read_manifest(place)
            files, more = files_of_run(manifest), unfinished(manifest, part_numbers(manifest))
        else:
            manifest = read_experiment(place)
            files = {arm_name(part["number"]): part["sha256"] for part in manifest["parts"]}
            told = "not all is played; its command with --resume does"
            more = [] if manifest["finished"] else [Finding("unfinished", MANIFEST, told)]
    except DamagedError as error:
        return 1, [Finding("damaged", MANIFEST, str(error))]
    return len(place.names()), [*check(place, files), *more]
