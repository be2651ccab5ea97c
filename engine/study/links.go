package study

// LinksName is the name of a study of what a network's links carry.
const LinksName = "links"
