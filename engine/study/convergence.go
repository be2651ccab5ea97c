package study

// ConvergenceName is the name of a study of how an iterative solution converges.
const ConvergenceName = "convergence"
