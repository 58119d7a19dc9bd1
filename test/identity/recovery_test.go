package identity_test

import "errors"

const runController = "IDENTITY_TEST_CONTROLLER"

func controlUntilKilled(string) error { return errors.New("not yet") }
