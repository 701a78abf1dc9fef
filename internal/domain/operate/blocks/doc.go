// Package blocks keeps the blocklist of an installation in memory, checks calls against it, and hashes the networks of
// publishers, so that they can be compared and blocked and not read.
package blocks
