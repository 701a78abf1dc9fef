package client

import (
	"context"
	"net/url"
	"strconv"
	"time"
)

// A Board is a board of scores, as its project's owner sees it. Strangers wrote its texts, as those of all types here.
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

// A Message is a message of a player to the maker.
type Message struct {
	Text string    `json:"text"`
	At   time.Time `json:"at"`
}

// Left reads the boards, errors and messages of a project. Its methods may be called concurrently.
type Left struct {
	client  *Client
	project string
}

// Left returns the reader of a project.
func (c *Client) Left(project string) Left { return Left{c, project} }

// Boards returns the boards of the project, the last moved first, without entries.
func (l Left) Boards(ctx context.Context) ([]Board, error) {
	var out struct {
		Boards []Board `json:"boards"`
	}
	err := l.client.get(ctx, &out, nil, "project", l.project, "boards")
	return out.Boards, err
}

// Board returns a board with its first entries, limit at most.
func (l Left) Board(ctx context.Context, board string, limit int) (b Board, err error) {
	err = l.client.get(ctx, &b, atMost(limit), "project", l.project, "boards", board)
	return b, err
}

// Errors returns the errors of the current version of the project.
func (l Left) Errors(ctx context.Context) (e PlayerErrors, err error) {
	err = l.client.get(ctx, &e, nil, "project", l.project, "errors")
	return e, err
}

// Messages returns the newest messages of the project's players, limit at most.
func (l Left) Messages(ctx context.Context, limit int) ([]Message, error) {
	var out struct {
		Feedback []Message `json:"feedback"`
	}
	err := l.client.get(ctx, &out, atMost(limit), "project", l.project, "feedback")
	return out.Feedback, err
}

func atMost(n int) url.Values { return url.Values{"limit": {strconv.Itoa(n)}} }
