package postgres

import (
	"database/sql/driver"
	"fmt"
	"reflect"

	"github.com/jackc/pgx/v5/pgtype"
)

// arguments are those of a statement in the few types that are sent: nil, int64, float64, string, []byte and flag.
func arguments(args []any) ([]any, error) {
	list := make([]any, len(args))
	for i, a := range args {
		var err error
		if list[i], err = argument(a); err != nil {
			return nil, fmt.Errorf("argument %d: %w", i+1, err)
		}
	}
	return list, nil
}

func argument(a any) (any, error) {
	switch v := a.(type) {
	case nil, int64, string, float64:
		return v, nil
	case int:
		return int64(v), nil
	case bool:
		return flag(v), nil
	case []byte:
		if v == nil {
			return nil, nil
		}
		return v, nil
	case driver.Valuer:
		if r := reflect.ValueOf(a); r.Kind() == reflect.Pointer && r.IsNil() {
			return nil, nil
		}
		v2, err := v.Value()
		if err != nil {
			return nil, err
		}
		return argument(v2)
	}
	return byKind(a)
}

// byKind converts an argument of a named type by its kind.
func byKind(a any) (any, error) {
	v := reflect.ValueOf(a)
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return nil, nil
		}
		return argument(v.Elem().Interface())
	case reflect.Bool:
		return flag(v.Bool()), nil
	case reflect.String:
		return v.String(), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return v.Int(), nil
	case reflect.Uint8, reflect.Uint16, reflect.Uint32:
		return int64(v.Uint()), nil
	case reflect.Float32, reflect.Float64:
		return v.Float(), nil
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return argument(v.Bytes())
		}
	}
	return nil, fmt.Errorf("a %T cannot be stored", a)
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
