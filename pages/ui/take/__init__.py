"""What a reader takes home of an experiment: programs, notebooks and pictures."""
