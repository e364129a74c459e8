import { expect, test } from 'vitest'
import { lineOf } from './error-line.ts'

test.each([
  ['ZeroDivisionError: division by zero\n  File "tool.py", line 2, in main', 2],
  ['File "tool.py", line 1\n  def main(:\n           ^\nSyntaxError: invalid syntax', 1],
  ['SyntaxError: Unexpected token\n    at tool:3:1\n    at tool:9:2', 3],
  ['main has no parameter text. Remove it from inputs, or add it to the code.', null],
])('the line is found in: %s', (message, line) => {
  expect(lineOf(message)).toBe(line)
})
