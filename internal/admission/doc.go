// Package admission slows down whoever asks for too much, and nobody else: it finds
// out which address a request comes from, and keeps for each address, account
// and key what they may still do.
//
// It knows neither HTTP nor the rules of the service. All it keeps is in memory,
// within fixed bounds, and forgotten at a restart.
package admission
