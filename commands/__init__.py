"""The commands of `seqlab`, by what they are about; `cli.py` puts them together."""
