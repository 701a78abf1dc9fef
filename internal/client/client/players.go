package client

import (
	"context"
	"net/url"
	"strconv"
	"time"
)

// A Board is a board of scores, as its project's owner sees it. Its texts are strangers', as those of all types here.
type Board struct {
	Name    string       `json:"board"`
	Players int64        `json:"players"`
	Entries []BoardEntry `json:"entries"` // only of one board
}

// A BoardEntry is a player's best score on a board.
type BoardEntry struct {
	Rank  int64   `json:"rank"`
	Name  string  `json:"name"`
	Score float64 `json:"score"`
}

// PlayerErrors holds the errors of a version in players' browsers, most frequent first.
type PlayerErrors struct {
	Version int           `json:"version"`
	Errors  []PlayerError `json:"errors"`
}

// A PlayerError holds equal errors.
type PlayerError struct {
	Message string `json:"message"`
	Place   string `json:"place"`
	Count   int64  `json:"count"`
}

// A Message is one of a player to the maker.
type Message struct {
	Text string    `json:"text"`
	At   time.Time `json:"at"`
}

// Boards returns the boards of a project, the one that moved last first, without entries.
func (c *Client) Boards(ctx context.Context, id string) ([]Board, error) {
	var out struct {
		Boards []Board `json:"boards"`
	}
	return out.Boards, c.get(ctx, &out, nil, "project", id, "boards")
}

// Board returns a board with its first entries, limit at most.
func (c *Client) Board(ctx context.Context, id, board string, limit int) (b Board, err error) {
	return b, c.get(ctx, &b, url.Values{"limit": {strconv.Itoa(limit)}}, "project", id, "boards", board)
}

// PlayerErrors returns the errors of the current version of a project.
func (c *Client) PlayerErrors(ctx context.Context, id string) (e PlayerErrors, err error) {
	return e, c.get(ctx, &e, nil, "project", id, "errors")
}

// Messages returns the newest messages of a project's players, limit at most.
func (c *Client) Messages(ctx context.Context, id string, limit int) ([]Message, error) {
	var out struct {
		Feedback []Message `json:"feedback"`
	}
	return out.Feedback, c.get(ctx, &out, url.Values{"limit": {strconv.Itoa(limit)}}, "project", id, "feedback")
}
