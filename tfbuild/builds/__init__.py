"""The chain: plan, stages, pipeline, timeline, verdict, matrices of builds. Draws nothing."""
