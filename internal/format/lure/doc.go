// Package lure finds pages that request secrets: passwords, cards, seed phrases.
package lure
