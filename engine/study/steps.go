package study

// StepsName is the name of a study of the distribution of step times.
const StepsName = "steps"
