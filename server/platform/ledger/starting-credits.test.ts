import { expect, test } from 'vitest'
import { mailboxOf } from './starting-credits.ts'

test.each([
  ['Ada@Example.COM', 'ada@example.com'],
  ['ada+1@example.com', 'ada@example.com'],
  ['ada+a+b@example.com', 'ada@example.com'],
  ['a.d.a@example.com', 'a.d.a@example.com'],
  ['A.d.a+x@gmail.com', 'ada@gmail.com'],
  ['ada@googlemail.com', 'ada@gmail.com'],
  ['"a@b"@example.com', '"a@b"@example.com'],
])('%s belongs to the mailbox %s', (address, mailbox) => {
  expect(mailboxOf(address)).toBe(mailbox)
})
