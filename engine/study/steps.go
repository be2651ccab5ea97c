package study

// StepsName is the name of a study of how the times of a workload's steps are spread.
const StepsName = "steps"
