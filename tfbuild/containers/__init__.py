"""Container engines: images, containers, Dockerfiles, base images, what is kept of ours."""
