-- Every resource with every action, and the wildcards that the system roles use. A permission that an administrator
-- removes later stays away: it is not seeded again.
insert into permissions (id, name, description)
select gen_random_uuid(), resource || ':' || action,
  case when action = '*' then 'Everything with ' else initcap(action) || ' ' end || label
from (values ('chats', 'chats'), ('conversation', 'conversations'), ('agent', 'agents and deployments'),
    ('tool', 'tools'), ('kb', 'knowledge bases'), ('mcp', 'MCP servers and instances'),
    ('organization', 'the organization'), ('users', 'users'), ('roles', 'roles')) as resources (resource, label)
  cross join (values ('read'), ('write'), ('delete'), ('admin'), ('execute'), ('*')) as actions (action)
union all select gen_random_uuid(), '*:read', 'Read everything'
union all select gen_random_uuid(), '*:*', 'Everything';
