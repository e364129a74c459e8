/* The consent page: signs in by the public API, and says what was decided. Its tokens stay in this page's memory. */
const find = (id) => document.getElementById(id)
const consent = document.querySelector('main').dataset.consent
let session = null

async function post(path, body, token) {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  })
  const answer = await response.json().catch(() => ({}))
  if (!response.ok) throw new Error(answer.detail ?? 'Something went wrong. Try again.')
  return answer
}

/** One thing at a time; what goes wrong is said. */
async function attempt(work) {
  const buttons = [...document.querySelectorAll('button')]
  find('problem').textContent = ''
  for (const button of buttons) button.disabled = true
  try {
    await work()
  } catch (error) {
    find('problem').textContent =
      error instanceof TypeError ? 'There is no connection. Try again.' : error.message
  } finally {
    for (const button of buttons) button.disabled = false
  }
}

function showOrganizations(organizations) {
  const list = find('organization')
  list.replaceChildren(...organizations.map(({ id, name }) => new Option(name, id)))
  find('sign-in').hidden = true
  find('decide').hidden = false
  find('decide-heading').focus()
}

/** The session was for this page alone. */
async function leave(location) {
  if (session) await post('/api/auth/logout', { refresh_token: session.refresh_token }).catch(() => {})
  window.location.assign(location)
}

find('sign-in').addEventListener('submit', (event) => {
  event.preventDefault()
  attempt(async () => {
    const password = find('password')
    session = await post('/api/auth/login', { email: find('email').value, password: password.value })
    password.value = ''
    showOrganizations(session.user.organizations)
  })
})

find('decide').addEventListener('submit', (event) => {
  event.preventDefault()
  attempt(async () => {
    const answer = { organization_id: find('organization').value }
    const { location } = await post(`${consent}/allow`, answer, session.access_token)
    await leave(location)
  })
})

find('deny').addEventListener('click', () => {
  attempt(async () => {
    const { location } = await post(`${consent}/deny`, {})
    await leave(location)
  })
})
