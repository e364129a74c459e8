import { keepPreviousData, type UseInfiniteQueryResult, useInfiniteQuery } from '@tanstack/react-query'
import { Check } from 'lucide-react'
import { Fragment, type KeyboardEvent, type ReactNode, useId, useState } from 'react'
import { translator } from '../messages/index.ts'
import type { Choice, ChoiceList } from './choices.ts'
import { classNames } from './class-names.ts'
import { isEnter } from './keys.tsx'
import { useMoreOnSight } from './on-sight.ts'
import PopoverPanel from './popover-panel.tsx'
import { Failure } from './states.tsx'
import { useDelayed } from './use-delayed.ts'

const t = translator('picker')
const ui = translator('ui')

/** The search starts when the user pauses typing. */
const PAUSE_MS = 250

interface PickerPanelProps {
  trigger: ReactNode
  label: string
  choices: readonly Choice[]
  lists: readonly ChoiceList[]
  chosen: readonly Choice[]
  several: boolean
  /** Called with the choice that the user selected or cleared. */
  onToggle: (choice: Choice, close: () => void) => void
  empty: string
}

/** The choices of a picker, with a field that searches them. */
export default function PickerPanel({ trigger, onToggle, ...list }: PickerPanelProps) {
  return (
    <PopoverPanel
      trigger={trigger}
      label={list.label}
      className="z-50 w-[max(18rem,var(--radix-popover-trigger-width))] max-w-[calc(100vw-1rem)] overflow-hidden"
    >
      {(close) => <PickerList {...list} onToggle={(choice) => onToggle(choice, close)} />}
    </PopoverPanel>
  )
}

interface PickerListProps extends Omit<PickerPanelProps, 'trigger' | 'onToggle'> {
  onToggle: (choice: Choice) => void
}

function PickerList(list: PickerListProps) {
  const [text, setText] = useState('')
  const typed = text.trim()
  const q = useDelayed(typed, PAUSE_MS)
  return (
    <Results lists={list.lists} q={q}>
      {(results) => (
        <Combobox
          {...list}
          text={text}
          onText={setText}
          results={results}
          isOutdated={list.lists.length > 0 && (typed !== q || results.some((one) => one.isPlaceholderData))}
        />
      )}
    </Results>
  )
}

type Result = UseInfiniteQueryResult<Choice[]>

interface ResultsProps {
  lists: readonly ChoiceList[]
  q: string
  /** The results of the lists before these. */
  before?: readonly Result[]
  children: (results: readonly Result[]) => ReactNode
}

/** Reads several lists. A list needs a component of its own, because a component has the same hooks in each rendering. */
function Results({ lists: [list, ...others], q, before = [], children }: ResultsProps) {
  if (!list) return children(before)
  return (
    <ResultsOf list={list} q={q}>
      {(result) => (
        <Results lists={others} q={q} before={[...before, result]}>
          {children}
        </Results>
      )}
    </ResultsOf>
  )
}

interface ResultsOfProps {
  list: ChoiceList
  q: string
  children: (result: Result) => ReactNode
}

const ResultsOf = ({ list, q, children }: ResultsOfProps) =>
  children(useInfiniteQuery({ ...list.pages(q), placeholderData: keepPreviousData }))

interface Group {
  choices: readonly Choice[]
  heading?: string | undefined
  /** The result that may have more choices. */
  result?: Result
}

interface ComboboxProps extends PickerListProps {
  text: string
  onText: (text: string) => void
  results: readonly Result[]
  /** Whether a search is under way. If so, the results are those of the previous search. */
  isOutdated: boolean
}

/** A search field whose arrow keys move through the choices (ARIA Authoring Practices, combobox). */
function Combobox({
  label,
  choices,
  lists,
  chosen,
  several,
  onToggle,
  empty,
  text,
  onText,
  results,
  isOutdated,
}: ComboboxProps) {
  const id = useId()
  const [place, setPlace] = useState(0)
  // The chosen items come first. They keep their place while the panel is open, also if the user clears them.
  const [first] = useState(() => chosen.filter((one) => choices.every((other) => other.id !== one.id)))
  const words = text.trim()
  const selection = words === '' ? first : []
  const groups: Group[] = [
    { choices: choices.filter(({ name }) => holdsWords(name, words)) },
    { choices: selection, heading: t('selection') },
    ...results.map((result, list) => ({
      choices: (result.data ?? []).filter((one) => selection.every((other) => other.id !== one.id)),
      heading: lists[list]?.heading,
      result,
    })),
  ]
  const all = groups.flatMap((group) => group.choices)
  const hasMore = results.some(({ hasNextPage }) => hasNextPage)
  const active = all[Math.min(place, all.length - 1)]
  const optionId = (choice: Choice) => `${id}-${all.indexOf(choice)}`
  const press = (event: KeyboardEvent) => {
    const isMove = event.key === 'ArrowDown' || event.key === 'ArrowUp'
    if (!isMove && !isEnter(event)) return
    event.preventDefault()
    if (isOutdated || !active) return
    if (!isMove) return onToggle(active)
    const to = all.indexOf(active) + (event.key === 'ArrowDown' ? 1 : -1)
    // While there are more pages, the last choice is not the end.
    const next = to === all.length && hasMore ? to - 1 : (to + all.length) % all.length
    setPlace(next)
    document.getElementById(optionId(all[next] as Choice))?.scrollIntoView({ block: 'nearest' })
  }
  return (
    <>
      <input
        type="text"
        role="combobox"
        aria-label={label}
        aria-expanded
        aria-controls={id}
        aria-autocomplete="list"
        aria-activedescendant={active && optionId(active)}
        autoComplete="off"
        spellCheck={false}
        maxLength={200}
        placeholder={ui('search')}
        value={text}
        onChange={({ target }) => {
          onText(target.value)
          setPlace(0)
        }}
        onKeyDown={press}
        className="h-10 w-full border-b border-line bg-transparent px-3 text-sm outline-none"
      />
      <div
        // A new search starts at the top.
        key={words}
        id={id}
        role="listbox"
        aria-label={label}
        aria-multiselectable={several}
        aria-busy={isOutdated}
        className={classNames(
          'max-h-72 overflow-y-auto',
          all.length > 0 && 'p-1',
          isOutdated && 'opacity-60',
        )}
      >
        {groups.map((group, number) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a group keeps its place
          <Fragment key={number}>
            {group.choices.length > 0 && (
              <Labelled heading={group.heading}>
                {group.choices.map((choice) => (
                  <Option
                    key={choice.id}
                    id={optionId(choice)}
                    choice={choice}
                    isChosen={chosen.some((one) => one.id === choice.id)}
                    isActive={choice === active}
                    isDisabled={isOutdated}
                    onReach={() => setPlace(all.indexOf(choice))}
                    onSelect={() => onToggle(choice)}
                  />
                ))}
              </Labelled>
            )}
            {group.result && !isOutdated && <More result={group.result} />}
          </Fragment>
        ))}
      </div>
      <Status results={results} count={all.length} isOutdated={isOutdated} empty={empty} />
    </>
  )
}

/** Choices below a heading, which names their group. */
function Labelled({ heading, children }: { heading: string | undefined; children: ReactNode }) {
  const id = useId()
  if (heading === undefined) return children
  return (
    <div role="group" aria-labelledby={id}>
      <div id={id} role="presentation" className="px-2.5 py-1 text-xs text-muted">
        {heading}
      </div>
      {children}
    </div>
  )
}

/** The end of a list. The next page loads when it is visible. */
const More = ({ result }: { result: Result }) => (
  <div ref={useMoreOnSight(result)} role="presentation" className="h-px" />
)

interface OptionProps {
  id: string
  choice: Choice
  isChosen: boolean
  /** Whether the arrow keys have reached the choice. */
  isActive: boolean
  isDisabled: boolean
  onReach: () => void
  onSelect: () => void
}

/** A choice. The search field keeps the focus. */
const Option = ({ id, choice, isChosen, isActive, isDisabled, onReach, onSelect }: OptionProps) => (
  // biome-ignore lint/a11y/useKeyWithClickEvents: the search field handles the keys
  <div
    id={id}
    role="option"
    tabIndex={-1}
    aria-selected={isChosen}
    aria-disabled={isDisabled || undefined}
    onMouseDown={(event) => event.preventDefault()}
    onPointerMove={onReach}
    onClick={() => !isDisabled && onSelect()}
    className={classNames(
      'flex cursor-pointer items-center gap-2 rounded-lg px-2.5 py-1.5 text-sm touch:min-h-10',
      isActive && 'bg-hover',
    )}
  >
    <Check aria-hidden size={15} className={classNames('shrink-0 text-accent', !isChosen && 'opacity-0')} />
    <span className="min-w-0 grow truncate">{choice.name}</span>
    {choice.note && <span className="max-w-1/2 shrink-0 truncate text-xs text-muted">{choice.note}</span>}
  </div>
)

interface StatusProps {
  results: readonly Result[]
  count: number
  isOutdated: boolean
  empty: string
}

/** Tells screen readers how many choices there are. Visible if there are none. */
function Status({ results, count, isOutdated, empty }: StatusProps) {
  const hasMore = results.some(({ hasNextPage }) => hasNextPage)
  const failed = results.find(({ error, data }) => error !== null && data === undefined)
  const isLoading = isOutdated || results.some((one) => one.isLoading) || (count === 0 && hasMore)
  if (failed?.error)
    return (
      <div className="p-3">
        <Failure error={failed.error} onRetry={() => void failed.refetch()} />
      </div>
    )
  return (
    <p role="status" className={count === 0 ? 'px-3 py-6 text-center text-sm text-muted' : 'sr-only'}>
      {isLoading ? ui('loading') : count === 0 ? empty : t(hasMore ? 'first' : 'results', { count })}
    </p>
  )
}

const holdsWords = (name: string, words: string): boolean =>
  words.split(/\s+/).every((word) => name.toLowerCase().includes(word.toLowerCase()))
