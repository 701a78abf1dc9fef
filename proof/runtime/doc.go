// Package runtime proves from outside what games of players keep: the real program, asked as engines, browsers and strangers ask it. Games
// save, score and break in Chromium and Firefox, wherever a game can be; other people's games get saves and a board; and what no game sends
// is sent. It has tests alone.
package runtime
