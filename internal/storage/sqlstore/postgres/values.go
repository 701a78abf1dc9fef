package postgres

import (
	"database/sql"
	"encoding/binary"
	"fmt"
	"reflect"
	"strconv"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// scan reads a column into a destination as database/sql does it from SQLite: a condition is 0 or 1, and may be read
// into a bool or a number, whichever of both the database has.
func scan(types *pgtype.Map, f *pgconn.FieldDescription, raw []byte, dest any) error {
	if raw != nil && f.Format == pgtype.BinaryFormatCode {
		switch d := dest.(type) {
		case *int64:
			if f.DataTypeOID == pgtype.Int8OID && len(raw) == 8 {
				*d = int64(binary.BigEndian.Uint64(raw))
				return nil
			}
		case *[]byte:
			if f.DataTypeOID == pgtype.ByteaOID {
				*d = append(make([]byte, 0, len(raw)), raw...)
				return nil
			}
		}
	}
	v, err := value(types, f, raw)
	if err != nil {
		return err
	}
	return assign(dest, v)
}

// value is a column as database/sql would have it from SQLite: nil, an int64, a float64, a string or bytes.
func value(types *pgtype.Map, f *pgconn.FieldDescription, raw []byte) (any, error) {
	if raw == nil {
		return nil, nil
	}
	switch f.DataTypeOID {
	case pgtype.Int8OID, pgtype.Int4OID, pgtype.Int2OID:
		if f.Format == pgtype.TextFormatCode {
			return strconv.ParseInt(string(raw), 10, 64)
		}
		return integer(raw)
	case pgtype.BoolOID:
		// In both formats the first byte decides.
		if len(raw) == 1 && (raw[0] == 1 || raw[0] == 't') {
			return int64(1), nil
		}
		return int64(0), nil
	case pgtype.TextOID, pgtype.VarcharOID, pgtype.NameOID, pgtype.UnknownOID, pgtype.BPCharOID, pgtype.JSONOID:
		return string(raw), nil
	case pgtype.ByteaOID:
		var b []byte
		err := types.Scan(f.DataTypeOID, f.Format, raw, &b)
		return b, err
	case pgtype.NumericOID:
		return numeric(types, f, raw)
	case pgtype.Float8OID:
		var n float64
		err := types.Scan(f.DataTypeOID, f.Format, raw, &n)
		return n, err
	}
	return nil, fmt.Errorf("a column of the type with the number %d is not read", f.DataTypeOID)
}

func integer(raw []byte) (any, error) {
	switch len(raw) {
	case 8:
		return int64(binary.BigEndian.Uint64(raw)), nil
	case 4:
		return int64(int32(binary.BigEndian.Uint32(raw))), nil
	case 2:
		return int64(int16(binary.BigEndian.Uint16(raw))), nil
	}
	return nil, fmt.Errorf("a number of %d bytes", len(raw))
}

// numeric converts a numeric: a sum of whole numbers, or an avg.
func numeric(types *pgtype.Map, f *pgconn.FieldDescription, raw []byte) (any, error) {
	var n pgtype.Numeric
	if err := types.Scan(f.DataTypeOID, f.Format, raw, &n); err != nil {
		return nil, err
	}
	if whole, err := n.Int64Value(); err == nil {
		return whole.Int64, nil
	}
	near, err := n.Float64Value()
	return near.Float64, err
}

// assign stores a value of a column, as database/sql converts it.
func assign(dest, v any) error {
	switch d := dest.(type) {
	case *any:
		*d = v
		return nil
	case sql.Scanner:
		return d.Scan(v)
	case *[]byte:
		switch v := v.(type) {
		case nil:
			*d = nil
			return nil
		case []byte:
			*d = v
			return nil
		case string:
			*d = []byte(v)
			return nil
		}
	case *string:
		if s, ok := v.(string); ok {
			*d = s
			return nil
		}
	case *bool:
		if n, ok := v.(int64); ok && (n == 0 || n == 1) {
			*d = n == 1
			return nil
		}
	}
	to := reflect.ValueOf(dest)
	if to.Kind() != reflect.Pointer || to.IsNil() {
		return fmt.Errorf("a %T cannot be read into", dest)
	}
	return assignKind(to.Elem(), v)
}

// assignKind stores a value in a variable of a named type, by its kind.
func assignKind(to reflect.Value, v any) error {
	if to.Kind() == reflect.Pointer {
		if v == nil {
			to.SetZero()
			return nil
		}
		to.Set(reflect.New(to.Type().Elem()))
		return assign(to.Interface(), v)
	}
	switch v := v.(type) {
	case int64:
		if setNumber(to, v) {
			return nil
		}
	case float64:
		if to.CanFloat() {
			to.SetFloat(v)
			return nil
		}
	case string:
		if to.Kind() == reflect.String {
			to.SetString(v)
			return nil
		}
		if n, err := strconv.ParseInt(v, 10, 64); err == nil && setNumber(to, n) {
			return nil
		}
	case []byte:
		switch {
		case to.Kind() == reflect.String:
			to.SetString(string(v))
			return nil
		case to.Kind() == reflect.Slice && to.Type().Elem().Kind() == reflect.Uint8:
			to.SetBytes(v)
			return nil
		}
	case nil:
		if to.Kind() == reflect.Slice {
			to.SetZero()
			return nil
		}
		return fmt.Errorf("null cannot be read into a %s", to.Type())
	}
	return fmt.Errorf("a %T cannot be read into a %s", v, to.Type())
}

// setNumber stores a number if it fits.
func setNumber(to reflect.Value, n int64) bool {
	switch {
	case to.CanInt() && !to.OverflowInt(n):
		to.SetInt(n)
	case to.CanUint() && n >= 0 && !to.OverflowUint(uint64(n)):
		to.SetUint(uint64(n))
	case to.CanFloat():
		to.SetFloat(float64(n))
	case to.Kind() == reflect.Bool && (n == 0 || n == 1):
		to.SetBool(n == 1)
	case to.Kind() == reflect.String:
		to.SetString(strconv.FormatInt(n, 10))
	default:
		return false
	}
	return true
}
