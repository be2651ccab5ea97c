package study

// LinksName is the name of a study of the traffic on a network's links.
const LinksName = "links"
