import { createMessages, type Language, type Messages } from '@parley/messages'
import { Body } from '@react-email/body'
import { Button } from '@react-email/button'
import { Container } from '@react-email/container'
import { Heading } from '@react-email/heading'
import { Html } from '@react-email/html'
import { Preview } from '@react-email/preview'
import { Text } from '@react-email/text'
import { createElement, type ReactElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import de from './messages/de.ts'
import en from './messages/en.ts'

/** The emails that Parley sends. Each link opens a console page and contains a token in its query. */
export type Email =
  | { kind: 'invitation'; organization: string; inviter: string; message: string | null; link: string }
  | { kind: 'magic link'; organization: string; inviter: string; link: string }
  | { kind: 'added to organization'; organization: string; adder: string; link: string }
  /** A null reason means that the suspension was lifted. */
  | { kind: 'suspension'; organization: string; reason: string | null; link: string }
  | { kind: 'verify email'; link: string }
  | { kind: 'reset password'; link: string }
  | { kind: 'second factor'; event: SecondFactorEvent; link: string }
  | {
      kind: 'webhook disabled'
      organization: string
      host: string
      /** Number of days with failed deliveries. Null if the endpoint responded with 410. */
      failedDays: number | null
      link: string
    }

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

const SECOND_FACTOR_MESSAGES = {
  'totp added': 'totpAdded',
  'passkey added': 'passkeyAdded',
  'totp removed': 'totpRemoved',
  'passkey removed': 'passkeyRemoved',
  'recovery codes replaced': 'codesReplaced',
  'recovery code used': 'codeUsed',
  'reset by administrator': 'reset',
  'codes tried': 'codesTried',
} as const satisfies Record<SecondFactorEvent, string>

interface RenderedEmail {
  subject: string
  html: string
  text: string
}

/** The content of an email: its subject, its paragraphs, and the label of its button. */
interface Content {
  subject: string
  paragraphs: string[]
  action: string
}

const MESSAGES = { en, de }

type Translate = Messages<typeof en>

export function renderEmail(email: Email, language: Language): RenderedEmail {
  const t = createMessages<typeof en>(language, MESSAGES[language])
  const content = contentOf(email, t)
  const html = `<!doctype html>${renderToStaticMarkup(layout(content, email.link, language, t))}`
  return { subject: content.subject, html, text: plainTextOf(content, email.link, t) }
}

/** Builds the plain text from the content, because converting the HTML to text takes as long as rendering it. */
function plainTextOf({ subject, paragraphs, action }: Content, link: string, t: Translate): string {
  const lines = [subject.toUpperCase(), ...paragraphs, `${action} ${link}`, t('openAddress', { link })]
  return lines.map((line) => line.replace(/[ \t\r\n\f]+/g, ' ').trim()).join('\n\n')
}

/** Returns whether the organization has the person's name, as personal organizations do. */
const isOwn = (person: string, organization: string): 'yes' | 'no' => (person === organization ? 'yes' : 'no')

function contentOf(email: Email, t: Translate): Content {
  switch (email.kind) {
    case 'invitation': {
      const { inviter, organization, message } = email
      const own = isOwn(inviter, organization)
      return {
        subject: t('invitation.subject', { inviter, organization, own }),
        paragraphs: [
          t('invitation.invited', { inviter, organization, own }),
          ...(message === null ? [] : [t('invitation.quoted', { message })]),
          t('invitation.expires'),
        ],
        action: t('invitation.action'),
      }
    }
    case 'magic link': {
      const { inviter, organization } = email
      return {
        subject: t('magicLink.subject', { inviter }),
        paragraphs: [
          t('magicLink.added', { inviter, organization, own: isOwn(inviter, organization) }),
          t('magicLink.expires'),
        ],
        action: t('magicLink.action'),
      }
    }
    case 'added to organization': {
      const { adder, organization } = email
      const own = isOwn(adder, organization)
      return {
        subject: t('addition.subject', { adder, organization, own }),
        paragraphs: [
          t('addition.added', { adder, organization, own }),
          t('addition.privacy'),
          t('addition.leave'),
        ],
        action: t('addition.action'),
      }
    }
    case 'suspension': {
      const { organization, reason } = email
      if (reason === null)
        return {
          subject: t('suspension.lifted', { organization }),
          paragraphs: [t('suspension.again')],
          action: t('suspension.action'),
        }
      return {
        subject: t('suspension.subject', { organization }),
        paragraphs: [t('suspension.reason', { reason }), t('suspension.effect')],
        action: t('suspension.action'),
      }
    }
    case 'verify email':
      return {
        subject: t('verification.subject'),
        paragraphs: [t('verification.request'), t('verification.otherwise')],
        action: t('verification.action'),
      }
    case 'reset password':
      return {
        subject: t('reset.subject'),
        paragraphs: [t('reset.request'), t('reset.otherwise')],
        action: t('reset.action'),
      }
    case 'second factor': {
      const event = SECOND_FACTOR_MESSAGES[email.event]
      const subject = t(`secondFactor.${event}.subject`)
      return {
        subject,
        paragraphs: [`${subject}. ${t(`secondFactor.${event}.detail`)}`, t('secondFactor.advice')],
        action: t('secondFactor.action'),
      }
    }
    case 'webhook disabled': {
      const { organization, host, failedDays: days } = email
      const reason =
        days === null
          ? t('webhook.gone', { organization, host })
          : t('webhook.failing', { organization, host, days })
      return {
        subject: t('webhook.subject', { organization }),
        paragraphs: [reason, t('webhook.pending')],
        action: t('webhook.action'),
      }
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

function layout(
  { subject, paragraphs, action }: Content,
  link: string,
  language: Language,
  t: Translate,
): ReactElement {
  return createElement(
    Html,
    { lang: language },
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
        createElement(Text, { style: SMALL }, t('openAddress', { link })),
      ),
    ),
  )
}
