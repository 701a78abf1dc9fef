// Package runtime proves the calls of players from outside, with the real program, and with calls of engines, browsers and strangers. Games
// save, score and break in Chromium and Firefox, wherever a game can be; other people's games get saves and a board; and what no game sends
// is sent. It has tests alone.
package runtime
