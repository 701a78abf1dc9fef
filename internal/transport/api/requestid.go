package api

import (
	"context"
	"math/rand/v2"
)

type requestIDKey struct{}

// NewRequestID returns a random name for one request: 26 letters and digits. It is made here because a client could
// choose a name that misleads readers of a log. It is not secret, and may be guessed.
func NewRequestID() string {
	const base32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
	var id [26]byte
	for half := range 2 {
		bits := rand.Uint64() // 12 characters and a half: 128 bits in all
		for i := range len(id) / 2 {
			id[len(id)/2*half+i] = base32[bits%32]
			bits /= 32
		}
	}
	return string(id[:])
}

// WithRequestID returns a context with the id of its request. The program sets it before its log and this package read
// it.
func WithRequestID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestIDKey{}, id)
}

// RequestID returns the id that WithRequestID put into ctx, or "".
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return id
}
