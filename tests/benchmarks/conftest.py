"""Keep pytest out of this folder: timings are benchmarks, not tests."""

collect_ignore_glob = ["*"]
