import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Dispatcher } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createBlockList, isPublic } from './addresses.ts'
import { createNet, type Net, NetError } from './index.ts'

const PRIVATE = [
  ...['0.0.0.0', '0.1.2.3', '10.0.0.1', '10.255.255.255', '100.64.0.1', '127.0.0.1', '127.255.0.1'],
  ...[
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.1',
    '192.0.2.1',
    '192.168.0.1',
    '192.168.255.1',
  ],
  ...['198.18.0.1', '198.51.100.1', '203.0.113.1', '224.0.0.1', '239.1.1.1', '240.0.0.1', '255.255.255.255'],
  ...[
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:10.0.0.1',
    '::ffff:a00:1',
    'fc00::1',
    'fd12:3456::1',
    'fe80::1',
  ],
  ...[
    'ff02::1',
    '2001:db8::1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '2001::1',
    '100::1',
    'fec0::1',
    '::127.0.0.1',
  ],
]
const PUBLIC = [
  '1.1.1.1',
  '8.8.8.8',
  '172.15.0.1',
  '172.32.0.1',
  '192.167.1.1',
  '2606:4700::1111',
  '2a00:1450::1',
]

test.each(PRIVATE)('%s is not public', (address) => expect(isPublic(address)).toBe(false))
test.each(PUBLIC)('%s is public', (address) => expect(isPublic(address)).toBe(true))

test('blocks that are allowed', () => {
  const isAllowed = createBlockList(['10.1.0.0/16', 'fd00::/8', '192.168.1.5'])
  for (const address of ['10.1.2.3', 'fd00::1', '192.168.1.5', '::ffff:10.1.2.3'])
    expect(isAllowed(address)).toBe(true)
  for (const address of ['10.2.0.1', 'fc00::1', '192.168.1.6']) expect(isAllowed(address)).toBe(false)
})

describe('connections', () => {
  let hits = 0
  const server = createServer((_request, response) => {
    hits += 1
    response.writeHead(302, { location: '/elsewhere' })
    response.end('inside')
  })
  let port = 0
  let net: Net
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    port = (server.address() as AddressInfo).port
    net = createNet({ allowPrivateNetwork: false })
  })
  afterAll(async () => {
    await net.close()
    server.close()
  })

  const get = (dispatcher: Dispatcher, host: string) => {
    const { origin } = new URL(`http://${host}:${port}`)
    return dispatcher.request({ origin, path: '/', method: 'GET' })
  }

  test.each([
    ...[
      '127.0.0.1',
      '2130706433',
      '0x7f000001',
      '0177.0.0.1',
      '127.1',
      '127.0.1',
      '0',
      '0.0.0.0',
      'localhost',
    ],
    ...[
      '[::1]',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '[0:0:0:0:0:0:0:1]',
      '[::]',
      '127.0.0.1.',
      'LOCALHOST',
    ],
  ])('to %s are refused', async (host) => {
    const before = hits
    await expect(get(net.guarded, host)).rejects.toBeInstanceOf(NetError)
    expect(hits).toBe(before)
  })

  test("to an operator's address are made, and a redirect is not followed", async () => {
    const before = hits
    expect((await get(net.open, '127.0.0.1')).statusCode).toBe(302)
    expect(hits).toBe(before + 1)
  })

  test('to a block that is allowed are made', async () => {
    const allowing = createNet({ allowPrivateNetwork: ['127.0.0.0/8'] })
    expect((await get(allowing.guarded, '127.0.0.1')).statusCode).toBe(302)
    await allowing.close()
  })
})
