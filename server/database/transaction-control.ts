/*
 * The driver (postgres.js) begins and ends all transactions. It gives a connection back as soon as the database reports
 * that no transaction is open. If a statement ended a transaction of the driver, the driver's own `commit` would wait
 * behind other transactions for a connection that it believes to hold, possibly forever.
 */

const CONTROL = 'begin|start\\s+transaction|commit|end|rollback|abort|prepare\\s+transaction'
const BEGINS_WITH_CONTROL = new RegExp(`^\\s*(?:${CONTROL})\\b`, 'i')
const CONTAINS_CONTROL = new RegExp(`;\\s*(?:${CONTROL})\\b`, 'i')
/** Strings and bodies of functions, in which these words have another meaning. */
const QUOTED = /'(?:[^']|'')*'|\$(\w*)\$.*?\$\1\$/gs

/**
 * Throws if `text` begins or ends a transaction. `isScript` is true if it may contain several statements, which only
 * the protocol without parameters allows.
 */
export function assertNoTransactionControl(text: string, isScript: boolean): void {
  if (BEGINS_WITH_CONTROL.test(text) || (isScript && CONTAINS_CONTROL.test(text.replace(QUOTED, ''))))
    throw new Error('A statement begins or ends a transaction itself. Send its parts within `sql.begin`.')
}
