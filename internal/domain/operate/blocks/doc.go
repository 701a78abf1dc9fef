// Package blocks keeps the blocklist of an installation in memory, and checks calls against it.
package blocks
