"""What people see: the terminal, HTML pages, charts, statistics. Decides nothing."""
