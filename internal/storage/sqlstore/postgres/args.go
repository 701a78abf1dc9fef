package postgres

import (
	"database/sql/driver"
	"fmt"

	"github.com/jackc/pgx/v5/pgtype"
)

// arguments converts the arguments of a statement as database/sql does, and conditions to flags.
func arguments(args []any) ([]any, error) {
	list := make([]any, len(args))
	for i, a := range args {
		v, err := driver.DefaultParameterConverter.ConvertValue(a)
		if err != nil {
			return nil, fmt.Errorf("argument %d: %w", i+1, err)
		}
		if b, is := v.(bool); is {
			v = flag(b)
		}
		list[i] = v
	}
	return list, nil
}

// A flag is a bool where the database expects one, and 0 or 1 where it expects a number.
type flag bool

func (f flag) BoolValue() (pgtype.Bool, error) { return pgtype.Bool{Bool: bool(f), Valid: true}, nil }

func (f flag) Int64Value() (pgtype.Int8, error) {
	n := int64(0)
	if f {
		n = 1
	}
	return pgtype.Int8{Int64: n, Valid: true}, nil
}
