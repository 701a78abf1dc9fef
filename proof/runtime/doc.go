// Package runtime proves the calls of players from outside, with the real program, and with calls of engines, browsers and strangers. Games
// save, score and break in Chromium and Firefox at every kind of address; foreign games get saves and a board; and hostile programs send calls
// that no game sends. It has tests alone.
package runtime
