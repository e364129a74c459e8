import { Body } from '@react-email/body'
import { Button } from '@react-email/button'
import { Container } from '@react-email/container'
import { Heading } from '@react-email/heading'
import { Html } from '@react-email/html'
import { Preview } from '@react-email/preview'
import { render } from '@react-email/render'
import { Text } from '@react-email/text'
import { createElement, type ReactElement } from 'react'

/** The emails that Parley sends. Links carry their token in the query, for the console page that they open. */
export type Email =
  | { kind: 'invitation'; organization: string; inviter: string; message: string | null; link: string }
  | { kind: 'magic link'; organization: string; inviter: string; link: string }
  | { kind: 'added to organization'; organization: string; adder: string; link: string }
  | { kind: 'verify email'; link: string }
  | { kind: 'reset password'; link: string }
  | { kind: 'second factor'; event: SecondFactorEvent; link: string }
  | { kind: 'webhook disabled'; organization: string; host: string; reason: string; link: string }

/** Changes to the second factors of an account. */
export type SecondFactorEvent =
  | 'totp added'
  | 'passkey added'
  | 'totp removed'
  | 'passkey removed'
  | 'recovery codes replaced'
  | 'recovery code used'
  | 'reset by administrator'
  | 'codes tried'

const SECOND_FACTOR_EVENTS: Record<SecondFactorEvent, [subject: string, sentence: string]> = {
  'totp added': [
    'An authenticator app was added to your account',
    'Parley now asks for its code when you sign in.',
  ],
  'passkey added': ['A passkey was added to your account', 'You can sign in with it from now on.'],
  'totp removed': ['The authenticator app was removed from your account', 'Its codes no longer work.'],
  'passkey removed': ['A passkey was removed from your account', 'It no longer signs you in.'],
  'recovery codes replaced': ['Your recovery codes were replaced', 'The earlier ones no longer work.'],
  'recovery code used': ['A recovery code of your account was used', 'That code no longer works.'],
  'reset by administrator': [
    'The second factors of your account were removed',
    'An administrator of the server removed your passkeys, your authenticator app and your recovery codes, and ended every session.',
  ],
  'codes tried': [
    'Someone tried many codes to sign in to your account',
    'Codes are refused for up to an hour. A passkey still works.',
  ],
}

interface RenderedEmail {
  subject: string
  html: string
  text: string
}

/** The text of an email: its paragraphs, and the label of its button. */
interface Content {
  subject: string
  paragraphs: string[]
  action: string
}

export async function renderEmail(email: Email): Promise<RenderedEmail> {
  const content = contentOf(email)
  const html = await render(layout(content, email.link))
  return { subject: content.subject, html, text: plainTextOf(content, email.link) }
}

/** Builds the plain text from the content, because converting the HTML takes as long as rendering it. */
function plainTextOf({ subject, paragraphs, action }: Content, link: string): string {
  const lines = [subject.toUpperCase(), ...paragraphs, `${action} ${link}`, addressLine(link)]
  return lines.map((line) => line.replace(/[ \t\r\n\f]+/g, ' ').trim()).join('\n\n')
}

const addressLine = (link: string): string => `Or open this address: ${link}`

function contentOf(email: Email): Content {
  switch (email.kind) {
    case 'invitation':
      return {
        subject: `${email.inviter} invites you to ${email.organization}`,
        paragraphs: [
          `${email.inviter} invites you to work in ${email.organization} on Parley.`,
          ...(email.message === null ? [] : [`“${email.message}”`]),
          'The invitation is good for 7 days, and for this email address only.',
        ],
        action: 'Accept the invitation',
      }
    case 'magic link':
      return {
        subject: `${email.inviter} has added you to ${email.organization}`,
        paragraphs: [
          `${email.inviter} has made an account for you in ${email.organization} on Parley.`,
          'The link signs you in. It works once, within 7 days; keep it to yourself.',
        ],
        action: 'Sign in',
      }
    case 'added to organization':
      return {
        subject: `${email.adder} added you to ${email.organization}`,
        paragraphs: [
          `${email.adder} made you a member of ${email.organization} on Parley. To stay, do nothing: you find the organization in your console.`,
          'Until you open it, its members do not see your name and address, unless you share another organization with them.',
          'The button leaves the organization, without opening it. It works for 30 days.',
        ],
        action: 'Leave organization',
      }
    case 'verify email':
      return {
        subject: 'Is this your email address?',
        paragraphs: [
          'Somebody has signed up at Parley with this email address. If it was you, say so with the button.',
          'If it was not, do nothing: the address stays unconfirmed.',
        ],
        action: 'Confirm this address',
      }
    case 'reset password':
      return {
        subject: 'Choose a new password',
        paragraphs: [
          'You, or somebody else, asked for a new password for your account at Parley.',
          'The link works once, within an hour. If you did not ask, do nothing: your password stays as it is.',
        ],
        action: 'Choose a new password',
      }
    case 'second factor': {
      const [subject, sentence] = SECOND_FACTOR_EVENTS[email.event]
      const advice = 'If it was not you, change your password and check your second factors and sessions.'
      return { subject, paragraphs: [`${subject}. ${sentence}`, advice], action: 'Open your account' }
    }
    case 'webhook disabled':
      return {
        subject: `A webhook of ${email.organization} was disabled`,
        paragraphs: [
          `Parley sends no more events to the webhook of ${email.organization} at ${email.host}. ${email.reason}`,
          'What waited for it has failed. Once it works again, enable it, and redeliver what was missed.',
        ],
        action: 'Look at the webhooks',
      }
  }
}

const PAGE = { backgroundColor: '#f4f4f5', fontFamily: 'system-ui, sans-serif', padding: '24px 0' }
const CARD = { backgroundColor: '#ffffff', borderRadius: '8px', maxWidth: '480px', padding: '32px' }
const BUTTON = {
  backgroundColor: '#18181b',
  borderRadius: '6px',
  color: '#ffffff',
  display: 'inline-block',
  fontSize: '15px',
  padding: '12px 20px',
}
const SMALL = { color: '#71717a', fontSize: '12px', wordBreak: 'break-all' } as const

function layout({ subject, paragraphs, action }: Content, link: string): ReactElement {
  return createElement(
    Html,
    { lang: 'en' },
    createElement(Preview, null, subject),
    createElement(
      Body,
      { style: PAGE },
      createElement(
        Container,
        { style: CARD },
        createElement(Heading, { as: 'h1', style: { fontSize: '20px' } }, subject),
        ...paragraphs.map((paragraph, index) => createElement(Text, { key: index }, paragraph)),
        createElement(Button, { href: link, style: BUTTON }, action),
        createElement(Text, { style: SMALL }, addressLine(link)),
      ),
    ),
  )
}
