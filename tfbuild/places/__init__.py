"""Where a plan is carried out: this machine or a container, opened with what the plan needs."""
