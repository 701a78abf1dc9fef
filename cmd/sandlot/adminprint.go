package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"
)

type format struct {
	JSON bool `name:"json" help:"Print JSON. (default: text)"`
}

// print writes v as a line of JSON, or calls plain.
func (f format) print(t *terminal, v any, plain func()) error {
	if !f.JSON {
		plain()
		return nil
	}
	e := json.NewEncoder(t.out)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// show prints a record: as text a line for each of its values, and a table for each of its lists that has rows.
func (f format) show(t *terminal, record any) error {
	return f.print(t, record, func() {
		w := tabwriter.NewWriter(t.out, 0, 0, 2, ' ', 0)
		defer w.Flush()
		eachField(reflect.ValueOf(record), func(name string, v reflect.Value, _ bool) {
			if !isTable(v) {
				fmt.Fprintf(w, "%s\t%s\n", name, cell(v))
				return
			}
			if v.Len() > 0 {
				w.Flush()
				fmt.Fprintf(w, "\n%s\n%s\n", name, columns(v.Type().Elem()))
			}
			for i := range v.Len() {
				fmt.Fprintln(w, row(v.Index(i)))
			}
		})
	})
}

// listing holds the flags of a command that lists records.
type listing struct {
	storage
	format
	Limit int `default:"1000" placeholder:"N" help:"Maximum number of rows (0: all)."`
}

// listPage is the number of records read at once; a list is printed while it is read.
const listPage = 500

// A reading reads the next records of a list, at most limit: those after the last one, of which seen were read before.
// None is the end of the list.
type reading[T any] func(a operator, last T, seen, limit int) ([]T, error)

// list prints records up to the limit, as line prints one.
func list[F, T any](ctx context.Context, l listing, t *terminal, line func(F) T, read reading[F]) error {
	return l.administer(ctx, func(a operator) error {
		w := tabwriter.NewWriter(t.out, 0, 0, 2, ' ', 0)
		defer w.Flush()
		lines := &terminal{out: w, err: t.err}
		var last F
		most := cmp.Or(max(l.Limit, 0), math.MaxInt)
		for seen := 0; seen < most; {
			records, err := read(a, last, seen, min(listPage, most-seen))
			if err != nil {
				return err
			}
			if seen == 0 && !l.JSON {
				fmt.Fprintln(w, columns(reflect.TypeFor[T]()))
			}
			for _, last = range records {
				shown := line(last)
				if err := l.print(lines, shown, func() { fmt.Fprintln(w, row(reflect.ValueOf(shown))) }); err != nil {
					return err
				}
			}
			if seen += len(records); len(records) == 0 {
				return nil
			}
		}
		return nil
	})
}

// listAll prints a list that is read at once.
func listAll[T any](ctx context.Context, l listing, t *terminal, read func(operator) ([]T, error)) error {
	var all []T
	return list(ctx, l, t, func(v T) T { return v }, func(a operator, _ T, seen, limit int) (_ []T, err error) {
		if seen == 0 {
			all, err = read(a)
		}
		return all[min(seen, len(all)):min(seen+limit, len(all))], err
	})
}

// eachField calls do with the fields of a record that have a JSON name, those of embedded structs too. A field is long
// if its tag keeps it out of tables.
func eachField(record reflect.Value, do func(name string, v reflect.Value, long bool)) {
	for _, f := range reflect.VisibleFields(record.Type()) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
			do(name, record.FieldByIndex(f.Index), f.Tag.Get("table") == "-")
		}
	}
}

// isTable reports whether a field is a list of records.
func isTable(v reflect.Value) bool {
	return v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Struct
}

// columns returns the names of a record's fields, separated by tabs.
func columns(record reflect.Type) string {
	var names []string
	eachField(reflect.Zero(record), func(name string, _ reflect.Value, long bool) {
		if !long {
			names = append(names, name)
		}
	})
	return strings.Join(names, "\t")
}

// row returns the values of a record, separated by tabs.
func row(record reflect.Value) string {
	var cells []string
	eachField(record, func(_ string, v reflect.Value, long bool) {
		if !long {
			cells = append(cells, cell(v))
		}
	})
	return strings.Join(cells, "\t")
}

// cell returns a value for people, on one line even if it has several.
func cell(v reflect.Value) string {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return "-"
		}
		v = v.Elem()
	}
	text := fmt.Sprint(v)
	switch v := v.Interface().(type) {
	case time.Time:
		text = v.UTC().Format(time.RFC3339)
	case []string:
		text = strings.Join(v, "; ")
	}
	if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(text)
	}
	return cmp.Or(text, "-")
}

// orNil returns a time for JSON; null if it is zero, or that of a thing that never happened.
func orNil(t time.Time) *time.Time {
	if t.IsZero() || t.UnixMicro() == 0 {
		return nil
	}
	return &t
}

// each returns a list of other records, empty and not null if there is nothing.
func each[F, T any](list []F, make func(F) T) []T {
	lines := []T{}
	for _, v := range list {
		lines = append(lines, make(v))
	}
	return lines
}
