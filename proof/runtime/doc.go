// Package runtime tests the calls of players on the running program: games in Chromium and Firefox at every kind of address,
// foreign games with saves and a board, and calls of hostile pages and programs. It has only tests.
package runtime
