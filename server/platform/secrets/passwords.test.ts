import { expect, test } from 'vitest'
import { createPasswords } from './passwords.ts'

const cheap = { memory: 64, passes: 1, parallelism: 1 }

test('a hash has the OWASP cost by default', async () => {
  const passwords = createPasswords()
  const hash = await passwords.hash('correct horse')
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=7168,t=5,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
  expect(await passwords.verify('correct horse', hash)).toBe(true)
  expect(await passwords.verify('correct house', hash)).toBe(false)
})

test('a hash made with another cost stays valid', async () => {
  const hash = await createPasswords(cheap).hash('correct horse')
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=64,t=1,p=1\$/)
  expect(await createPasswords().verify('correct horse', hash)).toBe(true)
  expect(await createPasswords().verify('correct house', hash)).toBe(false)
})

test.each([null, undefined])('a user without a password matches none (%s)', async (hash) => {
  expect(await createPasswords(cheap).verify('', hash)).toBe(false)
})

test('two hashes of one password differ', async () => {
  const passwords = createPasswords(cheap)
  expect(await passwords.hash('correct horse')).not.toBe(await passwords.hash('correct horse'))
})
