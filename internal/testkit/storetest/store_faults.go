package storetest

func faultCases() []storeCase { return nil }
