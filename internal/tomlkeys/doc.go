// Package tomlkeys limits the keys of a TOML file. The decoder takes quadratic time in the number of
// keys, so a file with too many keys is refused before it is decoded.
package tomlkeys
