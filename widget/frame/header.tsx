import type { VNode } from 'preact'
import { CloseIcon, NewIcon } from './icons.tsx'
import { t } from './text.ts'

interface HeaderProps {
  title: string
  logoUrl: string | null
  onStartOver: (() => void) | null
  onClose: (() => void) | null
}

export function Header({ title, logoUrl, onStartOver, onClose }: HeaderProps): VNode {
  return (
    <header>
      {logoUrl === null ? (
        <span class="initial" aria-hidden="true">
          {[...title.trim()][0]?.toUpperCase()}
        </span>
      ) : (
        <img src={logoUrl} alt="" referrerpolicy="no-referrer" />
      )}
      <h1>{title}</h1>
      {onStartOver && (
        <button
          type="button"
          aria-label={t('newConversation')}
          title={t('newConversation')}
          onClick={onStartOver}
        >
          <NewIcon />
        </button>
      )}
      {onClose && (
        <button type="button" aria-label={t('close')} title={t('close')} onClick={onClose}>
          <CloseIcon />
        </button>
      )}
    </header>
  )
}
