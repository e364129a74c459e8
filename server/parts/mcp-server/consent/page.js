/* The consent page: signs in through the public API and sends the decision. Tokens stay in this page's memory. */
const find = (id) => document.getElementById(id)
const consent = document.querySelector('main').dataset.consent
let session = null
/** Pending second factor: `challenge`, `methods` and optionally `passkey_options`. */
let asked = null

async function post(path, body, token) {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  })
  const answer = await response.json().catch(() => ({}))
  if (!response.ok)
    throw Object.assign(new Error(answer.detail ?? 'Something went wrong. Try again.'), { answer })
  return answer
}

/** Runs one action at a time and shows its error. */
async function attempt(work) {
  const buttons = [...document.querySelectorAll('button')]
  find('problem').textContent = ''
  for (const button of buttons) button.disabled = true
  try {
    await work()
  } catch (error) {
    find('problem').textContent =
      error instanceof TypeError ? 'The server cannot be reached. Try again.' : error.message
  } finally {
    for (const button of buttons) button.disabled = false
  }
}

function showOrganizations(organizations) {
  const list = find('organization')
  list.replaceChildren(...organizations.map(({ id, name }) => new Option(name, id)))
  find('sign-in').hidden = true
  find('second-factor').hidden = true
  find('decide').hidden = false
  find('decide-heading').focus()
}

function askForFactor(answer) {
  asked = answer
  find('sign-in').hidden = true
  find('second-factor').hidden = false
  find('passkey').hidden = !answer.passkey_options || !window.PublicKeyCredential?.parseRequestOptionsFromJSON
  find('second-factor-heading').focus()
}

async function answerFactor(proof) {
  try {
    session = await post('/api/auth/verify_second_factor', { challenge: asked.challenge, ...proof })
  } catch (error) {
    // The challenge is used up: restarts the sign-in and shows the reason.
    if (error.answer?.code === 'auth.challenge_gone' || proof.passkey) {
      find('second-factor').hidden = true
      find('sign-in').hidden = false
    }
    throw error
  }
  showOrganizations(session.user.organizations)
}

/** Ends the session, which served only this page, and leaves the page. */
async function leave(location) {
  if (session) await post('/api/auth/logout', { refresh_token: session.refresh_token }).catch(() => {})
  window.location.assign(location)
}

find('sign-in').addEventListener('submit', (event) => {
  event.preventDefault()
  attempt(async () => {
    const password = find('password')
    const credentials = { email: find('email').value, password: password.value }
    password.value = ''
    try {
      session = await post('/api/auth/login', credentials)
    } catch (error) {
      if (error.answer?.code !== 'auth.second_factor_needed') throw error
      askForFactor(error.answer)
      return
    }
    showOrganizations(session.user.organizations)
  })
})

find('second-factor').addEventListener('submit', (event) => {
  event.preventDefault()
  attempt(async () => {
    const typed = find('code').value.trim()
    find('code').value = ''
    await answerFactor(/^[\d ]+$/.test(typed) ? { code: typed } : { recovery_code: typed })
  })
})

find('passkey').addEventListener('click', () => {
  attempt(async () => {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(asked.passkey_options)
    const credential = await navigator.credentials.get({ publicKey }).catch(() => {
      throw new Error('No passkey was used. Try again, or enter a code.')
    })
    await answerFactor({ passkey: credential.toJSON() })
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
