package study

// ConvergenceName is the name of a study of the convergence of an iterative solution.
const ConvergenceName = "convergence"
