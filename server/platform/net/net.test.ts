import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Dispatcher } from 'undici'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createBlockList, isPublic } from './addresses.ts'
import { createNet, type Net, NetError, type ResolveName } from './index.ts'

const PRIVATE = `
  0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 127.0.0.1 127.255.0.1 169.254.169.254 172.16.0.1 172.31.255.255
  192.0.0.1 192.0.2.1 192.88.99.1 192.168.0.1 192.168.255.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1 239.1.1.1
  240.0.0.1 255.255.255.255
  :: ::1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:a00:1 64:ff9b::7f00:1 64:ff9b:1::1 100::1 2001::1 2001:2::1
  2001:20::1 2001:db8::1 2002:7f00:1:: 3fff::1 4000::1 5f00::1 fc00::1 fd12:3456::1 fe80::1 fec0::1 ff02::1
`
  .trim()
  .split(/\s+/)

const PUBLIC = '1.1.1.1 8.8.8.8 172.15.0.1 172.32.0.1 192.167.1.1 2606:4700::1111 2a00:1450::1'.split(' ')

test.each(PRIVATE)('%s is not public', (address) => expect(isPublic(address)).toBe(false))
test.each(PUBLIC)('%s is public', (address) => expect(isPublic(address)).toBe(true))

test('listed blocks are allowed', () => {
  const isAllowed = createBlockList(['10.1.0.0/16', 'fd00::/8', '192.168.1.5'])
  for (const address of ['10.1.2.3', 'fd00::1', '192.168.1.5', '::ffff:10.1.2.3'])
    expect(isAllowed(address)).toBe(true)
  for (const address of ['10.2.0.1', 'fc00::1', '192.168.1.6']) expect(isAllowed(address)).toBe(false)
})

/** Addresses of this machine and its network, in every spelling that a URL allows. */
const SPELLINGS = `
  127.0.0.1 127.0.0.1. 127.1 127.0.1 127.255.255.254 2130706433 017700000001 0177.0.0.1 0177.0.0.0x1 0x7f000001
  0x7f.1 0x7F.0x0.0x0.0x1 0x7f.0.0.01 0 0x0 0.0.0.0 %31%32%37.0.0.1 127。0。0。1 127｡0｡0｡1 １２７.0.0.1 ①②⑦.0.0.1
  localhost LOCALHOST 10.0.0.1 167772161 012.1 169.254.169.254 0xa9fea9fe 2852039166 169.254.43518
  192.168.1 3232235777 172.16.1 [::1] [0:0:0:0:0:0:0:1] [::] [::ffff:127.0.0.1] [::ffff:7f00:1] [::FFFF:0a00:0001]
  [0:0:0:0:0:ffff:169.254.169.254] [::127.0.0.1] [64:ff9b::127.0.0.1] [2002:7f00:1::] [fe80::1] [fd00::1] [fec0::1]
`
  .trim()
  .split(/\s+/)

describe('connections', () => {
  let hits = 0
  let port = 0
  const server = createServer((_request, response) => {
    hits += 1
    response.writeHead(302, { location: `http://127.0.0.1:${port}/elsewhere` })
    response.end('inside')
  })
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

  test.each(SPELLINGS)('to %s are refused', async (host) => {
    const before = hits
    await expect(get(net.guarded, host)).rejects.toBeInstanceOf(NetError)
    expect(hits).toBe(before)
  })

  test("to an operator's address are allowed, and redirects are not followed", async () => {
    const before = hits
    expect((await get(net.open, '127.0.0.1')).statusCode).toBe(302)
    expect(hits).toBe(before + 1)
  })

  test.each([true, ['127.0.0.0/8'], ['127.0.0.1', '10.0.0.0/8']].map((allowed) => ({ allowed })))(
    'to listed addresses are allowed: $allowed',
    async ({ allowed }) => {
      const allowing = createNet({ allowPrivateNetwork: allowed })
      for (const host of ['127.0.0.1', '0x7f000001', '[::ffff:127.0.0.1]'])
        expect((await get(allowing.guarded, host)).statusCode).toBe(302)
      await allowing.close()
    },
  )

  describe('to a host name', () => {
    const FAR = { address: '192.0.2.1', family: 4 }
    const HERE = { address: '127.0.0.1', family: 4 }
    const PUBLIC_V6 = { address: '2606:4700::1111', family: 6 }
    type Addresses = Parameters<Parameters<ResolveName>[2]>[1]

    /** Returns a net in which names resolve to the next entry of `answers` at each lookup. */
    function rebinding(allowPrivateNetwork: string[], ...answers: Addresses[]) {
      const resolveName = vi.fn<ResolveName>((_name, _options, callback) =>
        callback(null, answers[resolveName.mock.calls.length - 1] ?? []),
      )
      return { net: createNet({ allowPrivateNetwork, resolveName }), resolveName }
    }

    test.each([
      ['a private address', [HERE]],
      ['a private and a public address', [PUBLIC_V6, HERE]],
      ['a documentation address', [FAR]],
      ['an IPv4-mapped IPv6 address', [{ address: '::ffff:127.0.0.1', family: 6 }]],
    ])('that resolves to %s are refused', async (_what, answer) => {
      const { net: rebound } = rebinding([], answer)
      const before = hits
      await expect(get(rebound.guarded, 'rebinding.example')).rejects.toThrow(
        'rebinding.example is not a public address',
      )
      expect(hits).toBe(before)
      await rebound.close()
    })

    test('use the checked address without resolving again', async () => {
      const { net: rebound, resolveName } = rebinding(
        ['127.0.0.1'],
        [HERE],
        [{ ...FAR, address: '127.0.0.2' }],
      )
      expect((await get(rebound.guarded, 'rebinding.example')).statusCode).toBe(302)
      expect(resolveName).toHaveBeenCalledTimes(1)
      await rebound.close()
    })

    test('that resolves to nothing fail', async () => {
      const { net: rebound } = rebinding([], [])
      await expect(get(rebound.guarded, 'rebinding.example')).rejects.toMatchObject({ code: 'ENOTFOUND' })
      await rebound.close()
    })
  })
})

describe('a URL, before it is resolved', () => {
  const { checkUrl } = createNet({ allowPrivateNetwork: ['10.1.0.0/16'] })

  test.each([
    'https://example.com/v1',
    'http://8.8.8.8:8080/',
    'http://[2606:4700::1111]/',
    'http://10.1.2.3',
  ])('%s is allowed', (address) => expect(checkUrl(address).href).toContain(new URL(address).host))

  test.each(SPELLINGS.filter((host) => !/localhost/i.test(host)))('http://%s is refused', (host) => {
    expect(() => checkUrl(`http://${host}/`)).toThrow(/not a public address.*ALLOW_PRIVATE_NETWORK/)
  })

  test.each([
    ['', 'not a valid URL'],
    ['example.com', 'not a valid URL'],
    ['http://', 'not a valid URL'],
    ['http://1.2.3.4.5/', 'not a valid URL'],
    ['file:///etc/passwd', 'start with file: are not supported'],
    ['ftp://example.com/', 'start with ftp: are not supported'],
    ['gopher://127.0.0.1/', 'start with gopher: are not supported'],
    ['data:text/plain,x', 'start with data: are not supported'],
    ['http://user@example.com/', 'user name or password'],
    ['http://:secret@example.com/', 'user name or password'],
    ['https://example.com@127.0.0.1/', 'user name or password'],
  ])('%s is refused: %s', (address, sentence) => {
    expect(() => checkUrl(address)).toThrow(NetError)
    expect(() => checkUrl(address)).toThrow(sentence)
  })
})
