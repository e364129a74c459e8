import { useBlocker } from '@tanstack/react-router'
import { useEffect, useEffectEvent } from 'react'
import { Button } from './button.tsx'
import { useConfirm } from './confirm.tsx'
import { Failure } from './states.tsx'

/** Leaving a page with unsaved changes asks first; its tabs and filters are no leaving. */
export function useLeaveGuard(isUnsaved: boolean): void {
  const confirm = useConfirm()
  useBlocker({
    disabled: !isUnsaved,
    enableBeforeUnload: isUnsaved,
    shouldBlockFn: async ({ current, next }) => {
      const isSamePage =
        current.pathname === next.pathname && organizationOf(current.search) === organizationOf(next.search)
      if (isSamePage) return false
      return !(await confirm({
        title: 'Leave without saving?',
        consequence: 'What you have changed here since you last saved will be gone.',
        action: 'Leave',
      }))
    },
  })
}

const organizationOf = (search: object): unknown => (search as { org_id?: string }).org_id

/** Ctrl+S, or Cmd+S. The browser's own saving of the page never comes. */
export function useSaveKeys(save: () => void): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    const isSave = event.key.toLowerCase() === 's' && (event.ctrlKey || event.metaKey)
    if (!isSave || event.shiftKey || event.altKey) return
    event.preventDefault()
    save()
  })
  useEffect(() => {
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [])
}

interface SaveBarProps {
  isUnsaved: boolean
  isSaving: boolean
  error: Error | null
  onDiscard: () => void
}

/** At the foot of a form, always in sight: whether there is something to save, and why it could not be. */
export const SaveBar = ({ isUnsaved, isSaving, error, onDiscard }: SaveBarProps) => (
  <div className="sticky bottom-0 z-10 -mx-1 flex flex-col gap-3 bg-canvas px-1 pt-2 pb-4">
    {error && <Failure error={error} />}
    <div className="flex flex-wrap items-center justify-end gap-2 rounded-2xl border border-line bg-surface py-2.5 pr-2.5 pl-4">
      <p role="status" className="min-w-0 grow text-sm text-muted">
        {isUnsaved ? 'Unsaved changes' : 'All changes are saved'}
      </p>
      {isUnsaved && (
        <Button kind="ghost" disabled={isSaving} onClick={onDiscard}>
          Discard
        </Button>
      )}
      <Button
        type="submit"
        kind="primary"
        busy={isSaving}
        disabled={!isUnsaved}
        title="Ctrl+S"
        aria-keyshortcuts="Control+S Meta+S"
      >
        Save
      </Button>
    </div>
  </div>
)
