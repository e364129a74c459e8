/** The text of emails. Each email has a subject, paragraphs in order, and the label of its button. */
export default {
  openAddress: 'Or open this link: {link}',
  invitation: {
    subject: '{inviter} invited you to {own, select, yes {their organization} other {{organization}}}',
    invited:
      '{inviter} invited you to join {own, select, yes {their organization} other {{organization}}} on Parley.',
    quoted: '“{message}”',
    expires: 'The invitation expires in 7 days and works only for this email address.',
    action: 'Accept invitation',
  },
  magicLink: {
    subject: '{inviter} created a Parley account for you',
    added:
      '{inviter} created an account for you in {own, select, yes {their organization} other {{organization}}} on Parley.',
    expires: 'This link signs you in. It works once and expires in 7 days. Don’t share it.',
    action: 'Sign in',
  },
  addition: {
    subject: '{adder} added you to {own, select, yes {their organization} other {{organization}}}',
    added:
      '{adder} added you to {own, select, yes {their organization} other {{organization}}} on Parley. You can find the organization in your console.',
    privacy:
      'Until you open the organization, its members can’t see your name and email address, unless you share another organization with them.',
    leave: 'If you don’t want to be a member, leave the organization. The link works for 30 days.',
    action: 'Leave organization',
  },
  suspension: {
    subject: '{organization} was suspended',
    reason: 'A system administrator suspended the organization. Reason: {reason}',
    effect:
      'Until the suspension is lifted, members can only read and export the organization’s data, and its deployments don’t answer.',
    lifted: '{organization} is no longer suspended',
    again: 'Everything in the organization works again.',
    action: 'Open organization',
  },
  verification: {
    subject: 'Confirm your email address',
    request: 'Someone signed up for Parley with this email address. If it was you, confirm the address.',
    otherwise: 'If it wasn’t you, ignore this email. The address stays unconfirmed.',
    action: 'Confirm email address',
  },
  reset: {
    subject: 'Reset your password',
    request:
      'Someone asked to reset the password of your Parley account. The link works once and expires in 1 hour.',
    otherwise: 'If it wasn’t you, ignore this email. Your password stays the same.',
    action: 'Reset password',
  },
  secondFactor: {
    totpAdded: {
      subject: 'An authenticator app was added to your account',
      detail: 'Parley now asks for a code from the app when you sign in.',
    },
    passkeyAdded: {
      subject: 'A passkey was added to your account',
      detail: 'You can now sign in with this passkey.',
    },
    totpRemoved: {
      subject: 'The authenticator app was removed from your account',
      detail: 'Codes from this app no longer work.',
    },
    passkeyRemoved: {
      subject: 'A passkey was removed from your account',
      detail: 'You can no longer sign in with this passkey.',
    },
    codesReplaced: {
      subject: 'Your recovery codes were replaced',
      detail: 'The previous codes no longer work.',
    },
    codeUsed: {
      subject: 'A recovery code of your account was used',
      detail: 'This code no longer works.',
    },
    reset: {
      subject: 'Two-factor authentication was removed from your account',
      detail:
        'An administrator of the server removed your passkeys, authenticator app and recovery codes, and ended all sessions.',
    },
    codesTried: {
      subject: 'Too many sign-in codes were entered for your account',
      detail: 'Codes are blocked for up to 1 hour. Passkeys still work.',
    },
    advice:
      'If you don’t recognize this activity, change your password and check the two-factor authentication and sessions of your account.',
    action: 'Open account',
  },
  webhook: {
    subject: 'A webhook of {organization} was disabled',
    gone: 'Parley stopped sending events to the webhook of {organization} at {host}, because the endpoint responded with 410 Gone.',
    failing:
      'Parley stopped sending events to the webhook of {organization} at {host}, because every delivery failed for {days, plural, one {# day} other {# days}}.',
    pending:
      'Pending deliveries were marked as failed. When the endpoint works again, enable the webhook and redeliver the events you missed.',
    action: 'Open webhooks',
  },
} as const
