-- Tells a tool's owner only whether any organization uses it: whose agents they are is not theirs to read.
CREATE FUNCTION is_tool_unused(tool uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT NOT EXISTS (SELECT FROM agent_tools WHERE tool_id = tool)
$$;
