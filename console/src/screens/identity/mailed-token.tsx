import { Link, useLocation } from '@tanstack/react-router'
import { MailQuestionMark } from 'lucide-react'
import { translator } from '../../messages/index.ts'
import { buttonLook } from '../../ui/button.tsx'
import { Outcome, Outside } from './outside.tsx'

const t = translator('identity')

/** Returns the token of the emailed link, or undefined if the page was opened without a token. */
export const useMailedToken = (): string | undefined => useLocation({ select: ({ state }) => state.token })

export const NoToken = () => (
  <Outside title={t('noToken.title')}>
    <Outcome icon={MailQuestionMark}>{t('noToken.hint')}</Outcome>
    <Link to="/" className={buttonLook()}>
      {t('goToParley')}
    </Link>
  </Outside>
)
