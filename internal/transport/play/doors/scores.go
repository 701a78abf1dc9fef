package doors

import (
	"strconv"
	"time"

	"sandlot"
	"sandlot/internal/domain/players/boards"
	"sandlot/internal/domain/players/faults"
)

// A placed is the answer to a score.
type placed struct {
	OK       bool    `json:"ok"`
	Board    string  `json:"board"`
	Order    string  `json:"order"`
	Best     float64 `json:"best"`
	Improved bool    `json:"improved"`
	Rank     int64   `json:"rank"`
	Of       int64   `json:"of"`
	Player   string  `json:"player"`
}

func (x *exchange) score() error {
	var in struct {
		Player string   `json:"player"`
		Score  *float64 `json:"score"`
		Order  string   `json:"order"`
		Name   string   `json:"name"`
		Since  string   `json:"since"`
	}
	if err := x.fieldsOf(&in, &in.Player); err != nil {
		return err
	}
	switch {
	case in.Score == nil:
		return missing("score", "Send a finite number.")
	case in.Order != "" && in.Order != boards.Descending && in.Order != boards.Ascending:
		return invalid("order", "Send desc if a higher score is better, or asc if a lower one is.")
	}
	p, err := x.Boards.Place(x.ctx(), nobody, x.v, boards.Score{
		Board: x.rest, Score: *in.Score, Ascending: in.Order == boards.Ascending, Name: in.Name, Since: in.Since,
	})
	return x.answer(placed{true, p.Board, boards.Order(p.Ascending), p.Best, p.Improved, p.Rank, p.Of, p.Player}, err)
}

func invalid(field, note string) error {
	return sandlot.Refuse(sandlot.CodeInvalidField, "The field %s has an invalid value.", field).In(field).Note("%s", note)
}

// An entry is a place on a board.
type entry struct {
	Rank   int64     `json:"rank"`
	Name   string    `json:"name"`
	Score  float64   `json:"score"`
	You    bool      `json:"you"`
	At     time.Time `json:"at"`
	Player string    `json:"player"`
}

func entryOf(e boards.Entry) entry {
	return entry{e.Rank, e.Name, e.Score, e.You, moment(e.At), e.Player}
}

// A list is the answer with entries of a board.
type list struct {
	OK         bool          `json:"ok"`
	Board      string        `json:"board"`
	Period     boards.Period `json:"period"`
	Order      string        `json:"order"`
	Entries    []entry       `json:"entries"`
	Of         int64         `json:"of"`
	You        *entry        `json:"you"`
	Unverified bool          `json:"unverified"` // true: players' programs send their own scores
	Untrusted  bool          `json:"untrusted"`  // true: players type their own names
}

func (x *exchange) top() error {
	query := x.r.URL.Query()
	q := boards.Query{Board: x.rest, Period: boards.Period(query.Get("period"))}
	if text := query.Get("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			return invalid("limit", "Send a number from 1 to 100.")
		}
		q.Limit = n
	}
	if text := query.Get("around"); text != "" {
		q.Around = text != "0" && text != "false"
	}
	t, err := x.Boards.Top(x.ctx(), nobody, x.v, q)
	out := list{
		OK: true, Board: t.Board, Period: t.Period, Order: boards.Order(t.Ascending), Entries: make([]entry, len(t.Entries)), Of: t.Of,
		Unverified: true, Untrusted: true,
	}
	for i, e := range t.Entries {
		out.Entries[i] = entryOf(e)
	}
	if t.You != nil {
		you := entryOf(*t.You)
		out.You = &you
	}
	return x.answer(out, err)
}

func (x *exchange) errors() error {
	var in struct {
		Player string  `json:"player"`
		Age    float64 `json:"age"` // milliseconds since the page was loaded
		Errors []struct {
			Kind    string `json:"kind"`
			Message string `json:"message"`
			Source  string `json:"source"`
			Line    int    `json:"line"`
			Column  int    `json:"column"`
			Stack   string `json:"stack"`
		} `json:"errors"`
	}
	if err := x.fieldsOf(&in, &in.Player); err != nil {
		return err
	}
	var reports []faults.Report
	for _, e := range in.Errors {
		reports = append(reports, faults.Report(e))
	}
	age := time.Duration(max(0, min(in.Age, float64(oldestPage)))) * time.Millisecond
	return x.answer(done{true}, x.Faults.Report(x.ctx(), nobody, x.v, x.r.UserAgent(), age, reports))
}

// oldestPage bounds the age of a page, in milliseconds: a week.
const oldestPage = 7 * 24 * 60 * 60 * 1000

func (x *exchange) feedback() error {
	var in struct {
		Player string `json:"player"`
		Text   string `json:"text"`
	}
	if err := x.fieldsOf(&in, &in.Player); err != nil {
		return err
	}
	if in.Text == "" {
		return missing("text", "Send up to 280 characters.")
	}
	return x.answer(done{true}, x.Faults.Message(x.ctx(), nobody, x.v, in.Text))
}
