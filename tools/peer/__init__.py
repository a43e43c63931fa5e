"""Run other projects' test programs: StableHLO's test data and Shardy's executable tests."""
