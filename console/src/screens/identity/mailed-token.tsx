import { Link, useLocation } from '@tanstack/react-router'
import { MailQuestionMark } from 'lucide-react'
import { buttonLook } from '../../ui/button.tsx'
import { Outcome, Outside } from './outside.tsx'

/** What the link that was mailed proves; undefined: somebody has come without one. */
export const useMailedToken = (): string | undefined => useLocation({ select: ({ state }) => state.token })

export const NoToken = () => (
  <Outside title="Open the link in your mail">
    <Outcome icon={MailQuestionMark}>
      This page needs the link from the mail that was sent to you, as a whole.
    </Outcome>
    <Link to="/" className={buttonLook()}>
      Go to the start
    </Link>
  </Outside>
)
