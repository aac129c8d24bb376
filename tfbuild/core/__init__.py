"""What every package stands on: records, errors, paths, programs, settings. Knows no version."""
