import { describe, expect, test } from 'vitest'
import { readAs } from '#tests/support/read-as.ts'
import { DocumentError } from './document-error.ts'

describe('an email', () => {
  const mail = (...lines: string[]) => Buffer.from(lines.join('\r\n'), 'latin1')
  const head = [
    'From: Ada <ada@example.com>',
    'To: bo@example.com',
    'Subject: Offer',
    'Date: Fri, 15 Mar 2024 14:30:00 +0000',
  ]
  const top = '# Offer\n\nFrom: Ada <ada@example.com>\nTo: bo@example.com\nDate: 2024-03-15T14:30:00.000Z\n\n'
  test.each<[what: string, content: Buffer, expected: string]>([
    ['of text', mail(...head, '', 'Hello,', 'we offer 300 EUR.'), `${top}Hello,\nwe offer 300 EUR.`],
    [
      'of HTML',
      mail(
        ...head,
        'Content-Type: text/html; charset=utf-8',
        '',
        '<p>Hello <b>Bo</b></p><table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>',
      ),
      `${top}Hello Bo\n\n| a | b |\n| --- | --- |\n| 1 | 2 |`,
    ],
    [
      'in quoted-printable Latin-1',
      mail(
        ...head,
        'Content-Type: text/plain; charset=iso-8859-1',
        'Content-Transfer-Encoding: quoted-printable',
        '',
        'Gr=FC=DFe',
      ),
      `${top}Grüße`,
    ],
    [
      'in base64',
      mail(
        ...head,
        'Content-Type: text/plain; charset=utf-8',
        'Content-Transfer-Encoding: base64',
        '',
        Buffer.from('退款').toString('base64'),
      ),
      `${top}退款`,
    ],
    [
      'with an encoded subject',
      mail('From: a@example.com', 'Subject: =?utf-8?B?6YCA5qy+?=', '', 'text'),
      '# 退款\n\nFrom: a@example.com\n\ntext',
    ],
    [
      'with both texts',
      mail(
        ...head,
        'Content-Type: multipart/alternative; boundary=x',
        '',
        '--x',
        'Content-Type: text/plain',
        '',
        'plain',
        '--x',
        'Content-Type: text/html',
        '',
        '<p>html</p>',
        '--x--',
      ),
      `${top}plain`,
    ],
    [
      'with attachments',
      mail(
        ...head,
        'Content-Type: multipart/mixed; boundary=x',
        '',
        '--x',
        '',
        'See the file.',
        '--x',
        'Content-Type: application/pdf; name="offer.pdf"',
        'Content-Disposition: attachment; filename="offer.pdf"',
        'Content-Transfer-Encoding: base64',
        '',
        'JVBERi0=',
        '--x',
        'Content-Type: image/png',
        'Content-Disposition: attachment',
        '',
        'x',
        '--x--',
      ),
      `${top}See the file.\n\nAttachments: offer.pdf, image/png`,
    ],
    [
      'with recipients in copy',
      mail('From: a@example.com', 'Cc: C <c@example.com>, d@example.com', 'Subject: s', '', 'text'),
      '# s\n\nFrom: a@example.com\nCc: C <c@example.com>, d@example.com\n\ntext',
    ],
    ['after other headers', mail('Received: by x', '\tfor y', 'Subject: s', '', 'text'), '# s\n\ntext'],
  ])('%s', async (_what, content, expected) => {
    expect(await readAs(content, 'eml')).toBe(expected)
  })

  test('of too many parts is refused', async () => {
    const content = mail(
      ...head,
      'Content-Type: multipart/mixed; boundary=x',
      '',
      '--x\r\n\r\na\r\n'.repeat(3_000),
      '--x--',
    )
    await expect(readAs(content, 'eml')).rejects.toEqual(
      new DocumentError('This email has more than 2,000 parts. Split it into smaller files.'),
    )
  })

  test.each(['hello', '<html></html>', 'x: y', ''])('is not %s', async (content) => {
    await expect(readAs(content, 'eml')).rejects.toThrow('not detected')
  })
})
